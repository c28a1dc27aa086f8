import { expect, it } from 'vitest';
import { withItem } from '@/blocks/points/item';
import { newPoint } from '@/blocks/points/point';

const items = {
  Ua: { zh: 'A 相电压', en: 'Voltage phase A', unit: 'V', kind: 'bcd', writable: false, decimals: 1 },
  Ia: { zh: 'A 相电流', en: 'Current phase A', unit: 'A', kind: 'bcd', writable: false, decimals: 3 },
  TIME: { zh: '时间', en: 'Time', unit: '', kind: 'digits', writable: true, decimals: 0 },
};

it('an item of a meter says title, unit, decimals and types; what was entered stays', () => {
  const voltage = withItem(newPoint({ ds_name: 'p' }), 'Ua', items, 'en');
  expect(voltage.fields).toEqual({
    ds_name: 'p',
    item: 'Ua',
    ds_title: 'Voltage phase A',
    unit: 'V',
    tofixed: 1,
    data_type: 'double',
  });
  expect(withItem(voltage, 'Ia', items, 'en').fields).toMatchObject({
    ds_title: 'Current phase A',
    unit: 'A',
    tofixed: 3,
  });
  expect(withItem(voltage, 'TIME', items, 'en').fields).toEqual({
    ds_name: 'p',
    item: 'TIME',
    ds_title: 'Time',
    ds_type: 'str',
    data_type: 'string',
  });
  expect(withItem(newPoint({ ds_title: 'Incomer', unit: 'kV' }), 'Ua', items, 'en').fields).toMatchObject({
    ds_title: 'Incomer',
    unit: 'kV',
  });
});
