import type { TFunction } from 'i18next';

/** A protocol in the user's words; its name when there are none. */
export const protocolWord = (name: string, t: TFunction): string => t(`base:protocol.${name}`, { defaultValue: name });
