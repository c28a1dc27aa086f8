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
  test: {
    testTimeout: 20_000,
    maxWorkers: '100%', // it leaves one core unused by itself: 143 s in place of 88 s on two
    projects: [
      { extends: true, test: { name: 'logic', environment: 'node', include: ['test/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'components',
          testTimeout: 60_000,
          environment: 'jsdom',
          environmentOptions: { jsdom: { url: 'http://portal.test/' } },
          include: ['test/components/**/*.test.tsx'],
          setupFiles: ['test/components/setup.ts'],
        },
      },
    ],
  },
};

export default defineConfig(async ({ command }) => {
  if (command !== 'build') return portal;
  const codeSplitting = { includeDependenciesRecursively: false, groups: await chunkGroups(portal) };
  return { ...portal, build: { ...portal.build, rolldownOptions: { output: { codeSplitting } } } };
});
