import { Loader, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Trouble } from '@/components/Trouble';
import type { PlanPreview } from '../api';
import classes from '../firmware.module.css';
import { useUpgradeWords } from './useUpgradeWords';

/** Waves that are named; the others are only counted. */
const MAX_WAVES = 12;

interface Props {
  preview: PlanPreview | undefined;
  error: unknown;
  onRetry: () => void;
  /** Some gateways have been planned before: these are others. */
  isMore: boolean;
}

/** What a start would do now. */
export function PreviewPanel({ preview, error, onRetry, isMore }: Props): ReactElement {
  const { t } = useTranslation();
  const words = useUpgradeWords();
  return (
    <section className={classes.panel} aria-label={t('firmware:preview.title')} data-testid="plan-preview">
      <h2 className={classes.section}>{t('firmware:preview.title')}</h2>
      <div className={classes.body} style={{ paddingTop: 8 }}>
        {preview === undefined ? (
          error === null ? (
            <Loader size="sm" />
          ) : (
            <Trouble error={error} onRetry={onRetry} />
          )
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {t(isMore ? 'firmware:preview.more' : 'firmware:preview.text')}
            </Text>
            <dl className={classes.facts}>
              <Fact name={t('firmware:preview.eligible')} value={String(preview.total)} testId="preview-total" />
              <Fact name={t('firmware:preview.offline')} value={String(preview.offline)} testId="preview-offline" />
              <Fact name={t('firmware:preview.waves')} value={wavesText(preview.waves)} testId="preview-waves" />
              {preview.skipped.map(({ code, count }) => (
                <Fact key={code} name={words.code(code)} value={String(count)} testId={`preview-${code}`} />
              ))}
            </dl>
            <Faults faults={preview.faults} />
          </>
        )}
      </div>
    </section>
  );
}

/** What is wrong, by what is compared, with the gateways that it is of. */
function Faults({ faults }: Pick<PlanPreview, 'faults'>): ReactElement | null {
  const { t } = useTranslation();
  const words = useUpgradeWords();
  if (faults.length === 0) return null;
  return (
    <>
      <Text size="sm" mt="sm" fw={600}>
        {t('firmware:preview.faults')}
      </Text>
      <ul className={classes.faults} data-testid="preview-faults">
        {faults.map(({ code, file, gateway, count, titles }) => (
          <li key={`${code} ${file} ${gateway}`} data-fault={code}>
            {file === '' ? words.code(code) : t(`firmware:compared.${code}`, { file, gateway: gateway || '-' })}
            <span className={classes.sub}>
              {t('firmware:preview.gateways', { count, titles: titles.join(', ') })}
              {count > titles.length ? ' ...' : ''}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function wavesText(waves: readonly number[]): string {
  if (waves.length === 0) return '-';
  const named = waves.slice(0, MAX_WAVES).join(' + ');
  return waves.length > MAX_WAVES ? `${named} + ... (${waves.length})` : named;
}

function Fact({ name, value, testId }: { name: string; value: string; testId: string }): ReactElement {
  return (
    <div data-testid={testId}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
