import { expect, test } from 'vitest';
import { protocolsOf } from '@/features/monitor/presence';

test('protocols of a gateway: each once, unknown ones by their code', () => {
  const slaves = ['modbus_rtu', 'dlt645_2007', 'modbus_rtu', 'mc_3e', 'new_one'].map((protocol) => ({ protocol }));
  expect(protocolsOf(slaves)).toBe('Modbus RTU, DL/T 645-2007, MC 3E, new_one');
  expect(protocolsOf([])).toBe('');
});
