import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './theme/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { configureClient } from '@/api/client';
import { startTexts } from '@/i18n';
import { useErrorLog } from '@/lib/errorLog';
import { useLink } from '@/lib/live';
import { followOtherTabs, loadSession } from '@/lib/session';
import { Portal } from './Portal';
import { loadTexts } from './texts';

/** A new release removed a chunk that this page still names: load the page anew, once. Not while the cloud is away. */
function reloadOnMissingChunk(): void {
  const mark = 'edge.reloaded';
  window.addEventListener('vite:preloadError', (event) => {
    if (sessionStorage.getItem(mark) !== null || useLink.getState().lostAtMs !== null) return;
    event.preventDefault();
    sessionStorage.setItem(mark, String(Date.now()));
    window.location.reload();
  });
  window.setTimeout(() => sessionStorage.removeItem(mark), 10_000);
}

function captureStrayErrors(): void {
  const { capture } = useErrorLog.getState();
  window.addEventListener('error', (event) => capture(event.error ?? event.message, 'window'));
  window.addEventListener('unhandledrejection', (event) => capture(event.reason, 'promise'));
}

async function start(): Promise<void> {
  captureStrayErrors();
  reloadOnMissingChunk();
  configureClient();
  loadSession();
  followOtherTabs();
  await startTexts(loadTexts);
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no #root');
  createRoot(root).render(
    <StrictMode>
      <Portal />
    </StrictMode>,
  );
}

void start();
