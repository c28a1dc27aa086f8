import { Alert, Checkbox, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConfigurationDifference } from '../api';
import { valueText } from '@/blocks/deployment/valueText';
import classes from '../configuration.module.css';
import { useFieldName } from './useFieldName';

interface Props {
  difference: Pick<ConfigurationDifference, 'link' | 'link_lost'>;
  /** Left out where nothing is asked. */
  meant?: boolean;
  onMean?: (meant: boolean) => void;
}

/** A version that leads its gateway elsewhere, or away: said before anything else, because mending it may need a visit. */
export function LinkWarning({ difference, meant, onMean }: Props): ReactElement | null {
  const { t } = useTranslation();
  const fieldName = useFieldName();
  const { link, link_lost: isLost } = difference;
  if (link.length === 0 && !isLost) return null;
  const text = (value: unknown): string => valueText(value) ?? t('base:fieldChange.absent');
  return (
    <Alert
      color="red"
      role="alert"
      icon={<IconAlertTriangle size={18} />}
      title={t(isLost ? 'configuration:link.lost' : 'configuration:link.changes')}
      data-testid="link-warning"
    >
      <Stack gap={8}>
        <Text size="sm">{t(isLost ? 'configuration:link.lostText' : 'configuration:link.changesText')}</Text>
        <ul className={classes.linkChanges}>
          {link.map(({ field, before, after }) => (
            <li key={field}>
              {fieldName(field)} <code>{field}</code> {text(before)} → {text(after)}
            </li>
          ))}
        </ul>
        {isLost || onMean === undefined ? null : (
          <Checkbox
            checked={meant}
            onChange={(event) => onMean(event.currentTarget.checked)}
            label={t('configuration:link.meant')}
            data-testid="link-meant"
          />
        )}
      </Stack>
    </Alert>
  );
}
