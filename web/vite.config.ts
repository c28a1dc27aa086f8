import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import type { UserConfig } from 'vite';
import { chunkGroups } from './scripts/chunks';

const cloud = process.env.EDGE_CLOUD_URL ?? 'http://127.0.0.1:8080';

const portal: UserConfig = {
  plugins: [react()],
  resolve: { alias: { '@': fileURLToPath(new URL('src', import.meta.url)) } },
  build: { target: 'es2023', manifest: 'manifest.json', reportCompressedSize: false, chunkSizeWarningLimit: 900 },
  server: { proxy: { '/api': { target: cloud, ws: true, changeOrigin: false } } },
  test: { environment: 'node', include: ['test/**/*.test.ts'], testTimeout: 20_000 },
};

export default defineConfig(async ({ command }) => {
  if (command !== 'build') return portal;
  const codeSplitting = { includeDependenciesRecursively: false, groups: await chunkGroups(portal) };
  return { ...portal, build: { ...portal.build, rolldownOptions: { output: { codeSplitting } } } };
});
