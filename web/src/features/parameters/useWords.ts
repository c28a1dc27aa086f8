import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ruleText } from '@/components/ruleText';
import type { Field, Group, Words } from './model/schema';

export interface ParameterWords {
  /** Of a group or field, in the user's language. */
  label: (words: Words) => string;
  choice: (group: string, field: Field, value: string | number) => string;
  /** What is allowed of a field, and what it is without a value; '' for nothing to say. */
  hint: (field: Field) => string;
  /** Names of a change that the cloud tells as group.row.field; null for a field that no group has. */
  change: (groups: readonly Group[], path: string) => string | null;
  /** Why the machine does not carry out a group. */
  reason: (text: string) => string;
}

/** What machines say, as they say it. */
const REASONS: Readonly<Record<string, string>> = {
  'this machine has no WiFi interface': 'noWifi',
  'this machine has no hostapd': 'noHostapd',
  'this agent opens no hotspot': 'noHotspot',
  'this machine has no cellular modem': 'noModem',
  'this machine has no ModemManager': 'noModemManager',
  'this agent sets neither APN nor routing of a modem': 'noMobile',
  'mode dhcp needs a network service of the machine; the agent sets static addresses alone': 'noDhcp',
  'this machine has no program ip (iproute2)': 'noIproute',
  "the agent's user may not change the network (CAP_NET_ADMIN)": 'noNetAdmin',
  'NetworkManager manages the network of this machine': 'networkManager',
  'name servers need systemd-resolved, which this machine does not have': 'noResolved',
};

export function useWords(): ParameterWords {
  const { t, i18n } = useTranslation();
  const isChinese = i18n.language.startsWith('zh');
  return useMemo(() => {
    const label = (words: Words): string => (isChinese ? words.zh : words.en);
    return {
      label,
      choice: (group, { name }, value) =>
        t([`parameters:choice.${group}.${name}.${value}`, `parameters:choice.all.${value}`], {
          defaultValue: String(value),
        }),
      hint: ({ shape, kind, default: usual }) => {
        const { minimum: min, maximum: max, maxLength, maxItems } = shape;
        const parts = [
          min === undefined || max === undefined ? '' : t('parameters:hint.range', { min, max }),
          maxLength === undefined ? '' : t('parameters:hint.length', { max: maxLength }),
          maxItems === undefined || kind === 'choices' ? '' : t('parameters:hint.items', { max: maxItems }),
          typeof usual === 'number' && kind !== 'choice' ? t('parameters:hint.default', { value: usual }) : '',
        ];
        return parts.filter(Boolean).join(t('parameters:comma'));
      },
      change: (groups, path) => {
        const [name = '', ...rest] = path.split('.');
        const group = groups.find((each) => each.name === name);
        const field = group?.fields.find((each) => each.name === rest.at(-1));
        if (group === undefined || field === undefined) return null;
        return [label(group.title), rest.slice(0, -1).join('.'), label(field.label)].filter(Boolean).join(' · ');
      },
      reason: (text) => {
        const name = REASONS[text];
        return name === undefined ? ruleText(text) : t(`parameters:reason.${name}`);
      },
    };
  }, [t, isChinese]);
}
