import type { Choice } from '@/components/AsyncPicker';
import type { ExchangeBody, ExchangePoint, ExchangeRow } from './api';

/** What the form of a rule holds. The numbers are as they are typed. */
export type Draft = {
  title: string;
  source_device: Choice | null;
  source_dsid: string | null;
  target_device: Choice | null;
  target_dsid: string | null;
  ratio: number | string;
  bias: number | string;
  every_s: number | string;
  enabled: boolean;
};

export const EMPTY: Draft = {
  title: '',
  source_device: null,
  source_dsid: null,
  target_device: null,
  target_dsid: null,
  ratio: 1,
  bias: 0,
  every_s: 0,
  enabled: true,
};

export function draftOf(row: ExchangeRow): Draft {
  const { title, source, target, ratio, bias, every_s, enabled } = row;
  return {
    title,
    ratio,
    bias,
    every_s,
    enabled,
    source_device: deviceOf(source),
    source_dsid: String(source.dsid),
    target_device: deviceOf(target),
    target_dsid: String(target.dsid),
  };
}

export function bodyOf({ title, source_dsid, target_dsid, ratio, bias, every_s, enabled }: Draft): ExchangeBody {
  return {
    title,
    enabled,
    source_dsid: Number(source_dsid),
    target_dsid: Number(target_dsid),
    ratio: Number(ratio),
    bias: Number(bias),
    every_s: Number(every_s),
  };
}

function deviceOf({ device_id, device_title, gateway_id }: ExchangePoint): Choice {
  return { value: String(device_id), label: device_title || gateway_id, note: gateway_id };
}

/** 'x', 'x × 0.1', 'x × 2 + 5': what a rule makes of a value. */
export function formulaOf(ratio: number, bias: number): string {
  const scaled = ratio === 1 ? 'x' : `x × ${ratio}`;
  if (bias === 0) return scaled;
  return bias > 0 ? `${scaled} + ${bias}` : `${scaled} − ${-bias}`;
}
