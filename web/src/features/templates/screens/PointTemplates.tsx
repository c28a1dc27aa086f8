import type { ReactElement } from 'react';
import { TemplateScreen } from '../components/TemplateScreen';

/** Data point templates: the points of one kind of slave. */
export default function PointTemplates(): ReactElement {
  return <TemplateScreen category="point" />;
}
