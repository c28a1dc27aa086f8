import { expect, test } from 'vitest';
import { ApiError, opened, presentation } from '@/api/errors';

const reply = (status: number, statusText = ''): Pick<Response, 'status' | 'statusText'> => ({ status, statusText });

function told(body: unknown, status: number, statusText = ''): unknown {
  try {
    return opened(body, reply(status, statusText));
  } catch (error) {
    return presentation(error);
  }
}

test('the data of a good reply is handed out', () => {
  expect(told({ code: 0, msg: '', data: { a: 1 } }, 200)).toEqual({ a: 1 });
});

test.each([
  [10000, { kind: 'silent' }],
  [10011, { kind: 'silent' }],
  [10010, { kind: 'expired' }],
  [10001, { kind: 'key', key: 'base:error.noPermission', detail: '' }],
  [10009, { kind: 'key', key: 'base:error.wrongSignIn', detail: '' }],
  [20001, { kind: 'key', key: 'base:error.busy', detail: '' }],
  [12345, { kind: 'key', key: 'base:error.failed', detail: '' }],
])('code %i', (code, shown) => {
  expect(told({ code, msg: 'x', data: null }, 400)).toEqual(shown);
});

test('a wrong parameter names its field and rule', () => {
  expect(told({ code: 10002, msg: '', data: { field: 'limit', rule: 'at most 100' } }, 400)).toEqual({
    kind: 'key',
    key: 'base:error.parameter',
    detail: 'limit: at most 100',
  });
});

test.each([
  ['body.user_name', 'user_name: r'],
  ['body.value.0.url', 'url: r'],
  ['query.limit', 'limit: r'],
  ['body.value.3', 'value: r'],
  ['body', 'r'],
  ['', 'r'],
])('a field %s is told by its name, not by its path', (field, detail) => {
  expect(told({ code: 10002, msg: '', data: { field, rule: 'r' } }, 400)).toMatchObject({ detail });
});

test.each([
  [{ code: 20000, msg: 'b', data: 'from data' }, 'from data'],
  [{ code: 20000, msg: 'b', data: { message: 'from message' } }, 'from message'],
  [{ code: 20000, msg: 'from msg', data: null }, 'from msg'],
])('20000 shows the text of the reply', (body, text) => {
  expect(told(body, 404)).toEqual({ kind: 'text', text });
});

test('a reply without a code: refused as the catalogue says, but a broken server is not called a lack of permission', () => {
  expect(told({ detail: 'x' }, 403, 'Forbidden')).toMatchObject({ key: 'base:error.noPermission' });
  expect(told('<html>', 502, 'Bad Gateway')).toMatchObject({ key: 'base:error.failed' });
});

test('no reply at all', () => {
  expect(presentation(new ApiError({ cause: 'timeout' }))).toMatchObject({ key: 'base:error.timeout' });
  expect(presentation(new ApiError({ cause: 'network' }))).toMatchObject({ key: 'base:error.network' });
});
