import './address';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './theme/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { configureClient } from '@/api/client';
import { getBrand } from '@/api/platform';
import { startTexts } from '@/i18n';
import { domainOf, useBrand } from '@/lib/brand';
import { useErrorLog } from '@/lib/errorLog';
import { useLink } from '@/lib/live';
import { followOtherTabs, loadSession } from '@/lib/session';
import { askBeforeUnload } from '@/lib/unsaved';
import { Portal } from './Portal';
import { followSize } from './theme/size';
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

/** The looks of this host name come when they come; the product's own stand until then, and when they do not. */
async function loadBrand(): Promise<void> {
  try {
    useBrand.setState(await getBrand(domainOf(window.location.hostname)));
  } catch (error) {
    useErrorLog.getState().capture(error, 'customize');
  }
}

async function start(): Promise<void> {
  captureStrayErrors();
  reloadOnMissingChunk();
  configureClient();
  loadSession();
  followOtherTabs();
  followSize();
  askBeforeUnload();
  void loadBrand();
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
