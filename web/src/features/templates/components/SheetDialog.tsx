import { Alert, Button, FileButton, Group, Modal, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText, showSuccess } from '@/components/notices';
import { Paging } from '@/components/Paging';
import { refusalText } from '@/components/refusal';
import { usePhone } from '@/components/table/usePhone';
import { ToneText } from '@/components/Tone';
import { usePages, useStepBack } from '@/components/usePages';
import { compareSheets } from '../api';
import type { Content, TemplateRow, TemplateSheetRow, TemplateSheets } from '../api';
import classes from '../templates.module.css';

interface Props {
  node: TemplateRow;
  onClose: () => void;
  /** The content that the file makes of this version. */
  onTake: (version: number, content: Content) => void;
}

const KINDS = ['added', 'changed', 'removed', 'wrong'] as const;
const TONES = { added: 'ok', changed: 'off', removed: 'warn', wrong: 'bad' } as const;

/** A workbook against the newest version, cell by cell; what it says goes to the editor, where it is saved or thrown away. */
export default function SheetDialog({ node, onClose, onTake }: Props): ReactElement {
  const { t } = useTranslation();
  const phone = usePhone();
  const reading = useMutation({
    mutationFn: (file: File) => compareSheets(node.template_id, file),
    meta: { errorInPlace: true },
  });
  const { data, error } = reading;
  const take = (result: TemplateSheets): void => {
    onTake(result.version, result.document);
    showSuccess(t('templates:sheet.taken'));
    onClose();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      size={820}
      fullScreen={phone}
      title={t('templates:sheet.title', { title: node.title })}
      data-testid="sheet-dialog"
    >
      <Stack gap="sm">
        <Text size="sm">{t('templates:sheet.about')}</Text>
        <FileButton
          accept=".xls,.xlsx"
          onChange={(file) => file !== null && reading.mutate(file)}
          inputProps={{ 'aria-label': t('base:import.choose'), 'data-testid': 'sheet-file' } as object}
        >
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconUpload size={16} aria-hidden />}
              loading={reading.isPending}
              w="fit-content"
              data-autofocus
            >
              {t('base:import.choose')}
            </Button>
          )}
        </FileButton>
        {error === null ? null : <Alert color="red">{refusalText(error) ?? errorText(error)}</Alert>}
        {data === undefined ? null : <Comparison key={reading.submittedAt} result={data} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('base:action.cancel')}
          </Button>
          <Button
            disabled={data === undefined || !data.differs}
            onClick={() => data !== undefined && take(data)}
            data-testid="sheet-take"
          >
            {t('templates:sheet.take')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Comparison({ result }: { result: TemplateSheets }): ReactElement {
  const { t } = useTranslation();
  const pages = usePages();
  const { page, limit } = pages;
  useStepBack(pages, { data: { total: result.rows.length } });
  const counts = KINDS.map((kind) => ({ kind, count: result.rows.filter((row) => row.kind === kind).length })).filter(
    ({ count }) => count > 0,
  );
  return (
    <>
      <Text role="status" fw={600} data-testid="sheet-counts">
        {[
          ...counts.map(({ kind, count }) => `${t(`base:import.kind.${kind}`)} ${count}`),
          t('templates:sheet.unchanged', { count: result.unchanged }),
        ].join(' · ')}
      </Text>
      {result.ignored.length === 0 ? null : (
        <Text size="sm">{t('templates:sheet.ignored', { names: result.ignored.join(', ') })}</Text>
      )}
      {counts.some(({ kind }) => kind === 'wrong') ? <Text size="sm">{t('templates:sheet.wrong')}</Text> : null}
      <div className={classes.sheetRows} data-scroll>
        {result.rows.slice((page - 1) * limit, page * limit).map((row) => (
          <Row key={`${row.sheet}/${row.number}/${row.key.join('.')}/${row.kind}`} row={row} />
        ))}
      </div>
      <Paging pages={pages} total={result.rows.length} label={t('base:import.paging')} />
    </>
  );
}

function Row({ row }: { row: TemplateSheetRow }): ReactElement {
  const { t, i18n } = useTranslation();
  const title = (field: string): string =>
    [`base:point.field.${field}`, `templates:field.${field}`]
      .filter((key) => i18n.exists(key))
      .map((key) => t(key))[0] ?? field;
  const fault = (code: string, args: Record<string, unknown>): string =>
    [`base:import.fault.${code}`, `base:point.fault.${code}`]
      .filter((key) => i18n.exists(key))
      .map((key) => t(key, args))[0] ?? code;
  return (
    <div className={classes.sheetRow} data-testid="sheet-row" data-kind={row.kind}>
      <ToneText tone={TONES[row.kind]}>{t(`base:import.kind.${row.kind}`)}</ToneText>
      <span>
        {t(`base:import.sheet.${row.sheet}`)} <strong>{row.key.join('.')}</strong>
        {row.number === 0 ? '' : ` #${row.number}`}
      </span>
      {row.cells.map(({ field, before, after, code, arguments: args }) => (
        <small key={field}>
          {field === '' ? '' : `${title(field)}: `}
          {row.kind === 'added' || before === null || before === undefined ? null : <del>{text(before)}</del>}{' '}
          {after === null || after === undefined ? null : <ins>{text(after)}</ins>}
          {code === '' ? null : (
            <Text span size="xs" c="red">
              {' '}
              {fault(code, { ...args })}
            </Text>
          )}
        </small>
      ))}
    </div>
  );
}

const text = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
