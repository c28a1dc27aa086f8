import { Alert, Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Choice } from '@/components/AsyncPicker';
import { showError } from '@/components/notices';
import { SEARCH_DEBOUNCE_MS, useDebounced } from '@/lib/useDebounced';
import { FIRMWARE } from '../api';
import { MAX_DEVICES } from '../draft';
import { countMatching, findSerials, joined, loadMatching, MAX_ADDED, serialsOf } from '../gatewayChoice';
import type { FoundSerials } from '../gatewayChoice';

interface Props {
  chosen: readonly Choice[];
  onChange: (chosen: Choice[]) => void;
  /** Projects by their numbers, with their titles. */
  projects: readonly { value: string; label: string }[];
}

/** Named of what is not found; the others are counted. */
const MAX_NAMED = 20;

/** Many gateways at once: all that match, or those of pasted serial numbers. */
export function GatewayChooser(props: Props): ReactElement {
  const { t } = useTranslation();
  const [way, setWay] = useState<'matching' | 'paste' | null>(null);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {(['matching', 'paste'] as const).map((each) => (
          <Button
            key={each}
            variant={way === each ? 'light' : 'default'}
            size="compact-sm"
            aria-expanded={way === each}
            onClick={() => setWay(way === each ? null : each)}
            data-testid={`choose-${each}`}
          >
            {t(`firmware:choose.${each}`)}
          </Button>
        ))}
      </Group>
      {way === 'matching' ? <AllThatMatch {...props} /> : way === 'paste' ? <Pasted {...props} /> : null}
    </Stack>
  );
}

function AllThatMatch({ chosen, onChange, projects }: Props): ReactElement {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const [project, setProject] = useState('');
  const matching = { search: useDebounced(search.trim(), SEARCH_DEBOUNCE_MS), project };
  const { data: total } = useQuery({
    queryKey: [...FIRMWARE, 'matching', matching],
    queryFn: ({ signal }) => countMatching(matching, signal),
  });
  const adding = useMutation({
    mutationFn: () => loadMatching(matching),
    onSuccess: (found) => onChange(joined(chosen, found, MAX_DEVICES).chosen),
    onError: showError,
  });
  return (
    <>
      <Select
        label={t('firmware:choose.project')}
        data={[...projects]}
        value={project === '' ? null : project}
        onChange={(value) => setProject(value ?? '')}
        placeholder={t('firmware:choose.anyProject')}
        searchable
        clearable
        data-testid="choose-project"
      />
      <TextInput
        label={t('firmware:log.search')}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        data-testid="choose-search"
      />
      <Group gap="xs">
        <Button
          size="compact-sm"
          disabled={total === undefined || total === 0}
          loading={adding.isPending}
          onClick={() => adding.mutate()}
          data-testid="choose-all"
        >
          {t('firmware:choose.all', { count: Math.min(total ?? 0, MAX_ADDED) })}
        </Button>
        <Text size="sm" c="dimmed" role="status" data-testid="choose-total">
          {total === undefined
            ? t('base:loading')
            : total > MAX_ADDED
              ? t('firmware:choose.tooMany', { total, most: MAX_ADDED })
              : t('firmware:choose.total', { total, chosen: chosen.length })}
        </Text>
      </Group>
    </>
  );
}

function Pasted({ chosen, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [found, setFound] = useState<(FoundSerials & { added: number }) | null>(null);
  const serials = serialsOf(text);
  const finding = useMutation({
    mutationFn: () => findSerials(serials.slice(0, MAX_ADDED)),
    onSuccess: (answer) => {
      const { chosen: all, added } = joined(chosen, answer.choices, MAX_DEVICES);
      onChange(all);
      setFound({ ...answer, added });
    },
    onError: showError,
  });
  const named = (some: readonly string[]): string =>
    some.length > MAX_NAMED
      ? t('firmware:choose.andMore', { named: some.slice(0, MAX_NAMED).join(', '), count: some.length - MAX_NAMED })
      : some.join(', ');
  return (
    <>
      <Textarea
        label={t('firmware:choose.serials')}
        description={t('firmware:choose.serialsHint', { most: MAX_ADDED })}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setFound(null);
        }}
        error={serials.length > MAX_ADDED ? t('firmware:choose.tooManySerials', { count: serials.length }) : undefined}
        autosize
        minRows={3}
        maxRows={10}
        spellCheck={false}
        data-testid="choose-serials"
      />
      <Group gap="xs">
        <Button
          size="compact-sm"
          disabled={serials.length === 0 || serials.length > MAX_ADDED}
          loading={finding.isPending}
          onClick={() => finding.mutate()}
          data-testid="choose-find"
        >
          {t('firmware:choose.find', { count: serials.length })}
        </Button>
        {found === null ? null : (
          <Text size="sm" role="status" data-testid="choose-added">
            {t('firmware:choose.added', { added: found.added, had: found.choices.length - found.added })}
          </Text>
        )}
      </Group>
      {found === null
        ? null
        : (['unknown', 'unable'] as const)
            .filter((each) => found[each].length > 0)
            .map((each) => (
              <Alert key={each} color="yellow" data-testid={`choose-${each}`}>
                {t(`firmware:choose.${each}`, { count: found[each].length, named: named(found[each]) })}
              </Alert>
            ))}
    </>
  );
}
