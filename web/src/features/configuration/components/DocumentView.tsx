import { Button, Group } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText, saveText } from '@/components/clipboard';
import { Empty } from '@/components/Empty';
import { showSuccess } from '@/components/notices';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { documentQuery } from '../api';
import type { ConfigurationState, Document } from '../api';
import classes from '../configuration.module.css';
import { short } from '../deployment';
import { lineOf, printed } from '../document';
import { isWritten, useDrafts } from '../draft';
import { Editor } from './Editor';
import { SourceText } from './SourceText';
import type { Guard } from './useGuard';
import { useView } from './useView';
import { VersionSelect } from './VersionSelect';

interface Props {
  deviceId: number;
  title: string;
  state: ConfigurationState;
  mayManage: boolean;
  guard: Guard;
  online: boolean;
}

/** A version's document to be read, taken along or edited. */
export default function DocumentView({ deviceId, title, state, mayManage, guard, online }: Props): ReactElement {
  const { t } = useTranslation();
  const { version, edit } = useView();
  const isWriting = useDrafts((drafts) => isWritten(drafts.byDevice[deviceId]));
  const isBegun = useDrafts((drafts) => drafts.byDevice[deviceId] !== undefined);
  const hash = version ?? state.draft?.hash ?? state.running?.hash;
  const isEditing = edit && mayManage && !guard.disabled;
  const query = useQuery({
    ...documentQuery(deviceId, hash ?? ''),
    enabled: hash !== undefined && !(isEditing && isWriting),
  });
  if (hash === undefined) return <Empty title={t('configuration:noDocument')} text={t('configuration:notToldYet')} />;
  if (query.data === undefined && !(isEditing && isBegun)) {
    return query.error === null ? (
      <PageSkeleton />
    ) : (
      <Trouble error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  if (isEditing)
    return (
      <Editing
        key={version ?? ''}
        deviceId={deviceId}
        state={state}
        online={online}
        hash={hash}
        document={query.data?.document}
      />
    );
  return query.data === undefined ? (
    <PageSkeleton />
  ) : (
    <Reading title={title} hash={hash} state={state} document={query.data.document} masked={query.data.masked} />
  );
}

/**
 * Editing begins with a version's text, unless something is being written already. What nobody changed, or is saved, is
 * not kept when the editor is left.
 */
function Editing({
  deviceId,
  state,
  online,
  hash,
  document,
}: Pick<Props, 'deviceId' | 'state' | 'online'> & { hash: string; document: Document | undefined }): ReactElement {
  const writing = useDrafts((drafts) => drafts.byDevice[deviceId]);
  const { newest } = state;
  useEffect(() => {
    const { byDevice, begin } = useDrafts.getState();
    const known = byDevice[deviceId];
    const isKept = known !== undefined && (isWritten(known) || known.saved !== undefined || known.from === hash);
    if (document !== undefined && !isKept) {
      const text = printed(document);
      begin(deviceId, { text, original: text, file: '', note: '', base: newest, from: hash });
    }
    // What came between is told when it is saved: the base stays the one of the beginning.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [deviceId, document]);
  useEffect(
    () => () => {
      if (!isWritten(useDrafts.getState().byDevice[deviceId])) useDrafts.getState().end(deviceId);
    },
    [deviceId],
  );
  return writing === undefined ? (
    <PageSkeleton />
  ) : (
    <Editor deviceId={deviceId} state={state} writing={writing} online={online} />
  );
}

interface ReadingProps extends Pick<Props, 'title' | 'state'> {
  hash: string;
  document: Document;
  masked: boolean;
}

function Reading({ title, hash, state, document, masked }: ReadingProps): ReactElement {
  const { t } = useTranslation();
  const { field, show } = useView();
  const text = useMemo(() => printed(document), [document]);
  const line = useMemo(() => (field === undefined ? null : lineOf(document, field)), [document, field]);
  const copy = async (): Promise<void> => {
    if (await copyText(text)) showSuccess(t('configuration:copied'));
  };
  const save = (): void => saveText(`${title}-${short(hash)}.json`, 'application/json', text);
  return (
    <>
      <div className={classes.bar}>
        <VersionSelect
          label={t('configuration:column.version')}
          state={state}
          value={hash}
          onChange={(version) => show({ version, field: undefined })}
        />
        <Group gap={8} ml="auto">
          <Button variant="default" leftSection={<IconCopy size={16} />} onClick={() => void copy()}>
            {t('configuration:action.copy')}
          </Button>
          <Button variant="default" leftSection={<IconDownload size={16} />} onClick={save} data-testid="save-document">
            {t('configuration:action.download')}
          </Button>
        </Group>
      </div>
      {masked ? <p className={`${classes.hint} ${classes.bar}`}>{t('configuration:masked')}</p> : null}
      <SourceText key={hash} text={text} line={line} />
    </>
  );
}
