import { Button, Drawer, Group, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useConfirm } from '../useConfirm';
import classes from './form.module.css';
import type { ApiForm } from './useApiForm';

type Key = Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'key' | 'preventDefault'>;

interface Props<Values> {
  title: string;
  form: ApiForm<Values>;
  onClose: () => void;
  /** Word of the button; 'Save' without one. */
  save?: string;
  /** May be saved as it opens: a copy, or values that were proposed. */
  proposed?: boolean;
  size?: number | string;
  children: ReactNode;
}

/** A form beside its page. Ctrl+S saves, Escape closes; changes that were not saved are not lost without a question. */
export function FormDrawer<Values>({
  title,
  form,
  onClose,
  save,
  proposed = false,
  size = 460,
  children,
}: Props<Values>): ReactElement {
  const { t } = useTranslation();
  const [ask, dialog] = useConfirm();
  const isDirty = form.fields.isDirty();
  const asking = useRef(false);
  const close = async (): Promise<void> => {
    if (form.isSaving || asking.current) return;
    if (!isDirty) return onClose();
    asking.current = true;
    const question = {
      title: t('base:form.discardTitle'),
      text: t('base:form.discardText'),
      confirm: t('base:form.discard'),
      danger: true,
    };
    const yes = await ask(question);
    asking.current = false;
    if (!yes) return;
    form.release();
    onClose();
  };
  const onKeyDown = (event: Key): void => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return;
    event.preventDefault();
    form.submit();
  };
  // a button that is disabled while it works leaves the focus nowhere
  useWindowEvent('keydown', (event) => event.target === document.body && onKeyDown(event));
  return (
    <Drawer
      opened
      onClose={() => void close()}
      title={title}
      size={size}
      onKeyDown={onKeyDown}
      data-testid="form-drawer"
    >
      <form onSubmit={form.submit} noValidate className={classes.form}>
        <div className={classes.fields} ref={startAtFirst}>
          {children}
        </div>
        <div className={classes.foot}>
          <div role="alert">
            {form.failure === '' ? null : (
              <Text size="sm" c="red" data-testid="form-failure">
                {form.failure}
              </Text>
            )}
          </div>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => void close()} data-testid="form-cancel">
              {t('base:action.cancel')}
            </Button>
            <Button
              type="submit"
              loading={form.isSaving}
              disabled={!isDirty && !proposed}
              title={t('base:form.saveKey')}
              data-testid="form-save"
            >
              {save ?? t('base:form.save')}
            </Button>
          </Group>
        </div>
      </form>
      {dialog}
    </Drawer>
  );
}

/** The drawer opens at the first field, not at its close button. */
function startAtFirst(fields: HTMLElement | null): void {
  if (fields === null || fields.querySelector('[data-autofocus]') !== null) return;
  fields.querySelector('input:not([type="hidden"]):not(:disabled), textarea')?.setAttribute('data-autofocus', 'true');
}
