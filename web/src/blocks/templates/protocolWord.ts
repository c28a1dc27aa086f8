import i18next from 'i18next';
import { protocolTitle } from '@/blocks/points/protocols';

/** A protocol in the user's words; its name when there are none. */
export const protocolWord = (name: string): string => protocolTitle(name, i18next.language ?? 'zh');
