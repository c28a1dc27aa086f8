import type { ReactElement } from 'react';
import { TemplateScreen } from '../components/TemplateScreen';

/** Gateway templates: ports, slaves and their points. */
export default function GatewayTemplates(): ReactElement {
  return <TemplateScreen category="gateway" />;
}
