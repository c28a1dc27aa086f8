import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: './openapi.json',
  output: { path: './src/api/generated' },
  // Secrets are writeOnly; one type of a body is enough, because no reply has it.
  parser: { transforms: { readWrite: { enabled: false } } },
  // The token is put into the header by src/api/http.ts, which also renews it.
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', { name: '@hey-api/sdk', auth: false }],
});
