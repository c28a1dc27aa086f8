import { Button, Checkbox, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormFoot } from '@/components/form/FormFoot';
import { useApiForm } from '@/components/form/useApiForm';
import { showSuccess } from '@/components/notices';
import { USER_TYPES } from '../account';
import { changeRule, permissionsQuery, rulesQuery } from '../api';
import type { RuleRow } from '../api';
import { defaultDraft, draftOfRule, isTouched, KEY_RULE, ruleOf } from '../rules';
import type { RuleDraft } from '../rules';

/** What the platform changes of one permission: names, for whom, and whether it is there at all. */
export function RuleForm({ row }: { row: RuleRow }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const isKey = row.code === KEY_RULE;
  const form = useApiForm<RuleDraft>({
    values: draftOfRule(row),
    validate: {
      zh: (name) => (name.trim() === '' ? t('users:rule.title') : null),
      en: (name) => (name.trim() === '' ? t('users:rule.title') : null),
    },
    save: (draft) => changeRule(row.code, ruleOf(draft, row)),
    onSaved: (saved, draft) => {
      form.fields.resetDirty(draft);
      cache.setQueryData(rulesQuery.queryKey, (rows) =>
        rows?.map((each) => (each.code === row.code ? (saved as RuleRow) : each)),
      );
      void cache.invalidateQueries({ queryKey: permissionsQuery.queryKey });
      showSuccess(t('base:form.done.edit'));
    },
  });
  const { fields } = form;
  return (
    <form onSubmit={form.submit} noValidate data-testid="rule-form">
      <Stack gap="md">
        <div>
          <h2>{t('users:rules.of', { code: row.code })}</h2>
          <Text size="sm" c="dimmed">
            {isKey ? t('users:refusal.rule.key') : t(`users:rules.kind.${row.kind}`)}
          </Text>
        </div>
        <Switch
          label={t('users:rules.enabled')}
          description={t('users:rules.enabledHint')}
          disabled={isKey}
          data-testid="rule-enabled"
          {...fields.getInputProps('enabled', { type: 'checkbox' })}
        />
        <TextInput
          label={t('users:rules.zh')}
          description={t('users:rules.default', { text: row.default_zh })}
          required
          maxLength={100}
          {...fields.getInputProps('zh')}
          data-testid="rule-zh"
        />
        <TextInput
          label={t('users:rules.en')}
          description={t('users:rules.default', { text: row.default_en })}
          required
          maxLength={100}
          {...fields.getInputProps('en')}
          data-testid="rule-en"
        />
        <Checkbox.Group
          label={t('users:rules.types')}
          description={t('users:rules.typesHint')}
          {...fields.getInputProps('types')}
        >
          <Group gap="md" mt="xs">
            {USER_TYPES.map((type) => (
              <Checkbox
                key={type}
                value={String(type)}
                label={t(`base:userType.${type}`)}
                disabled={isKey}
                data-testid={`rule-type-${type}`}
              />
            ))}
          </Group>
        </Checkbox.Group>
        <FormFoot form={form} disabled={!fields.isDirty()} testId="rule-save">
          <Button
            variant="default"
            disabled={!isTouched(fields.getValues(), row)}
            onClick={() => fields.setValues(defaultDraft(row))}
            data-testid="rule-default"
          >
            {t('users:rules.reset')}
          </Button>
        </FormFoot>
      </Stack>
    </form>
  );
}
