import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@/app/theme/base.css';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { configureClient } from '@/api/client';
import { queryClient } from '@/app/queryClient';
import { startTexts } from '@/i18n';
import { usePreferences } from '@/lib/preferences';
import { session } from '@/lib/session';
import { ChartPage } from './ChartPage';
import { FakeTab } from './FakeTab';
import { Gallery } from './Gallery';
import { ListPage, LongPage } from './ListPage';
import { LivePage } from './LivePage';
import { SheetPage } from './SheetPage';
import { Themed } from './Themed';

/** #list, #long, #live, #sheet, #chart or #pieces; ?lang=en, ?may=no for a user without permissions. */
const asked = new URLSearchParams(window.location.search);
const PAGES = {
  '#list': ListPage,
  '#long': LongPage,
  '#live': LivePage,
  '#sheet': SheetPage,
  '#chart': ChartPage,
  '#pieces': Gallery,
};

async function start(): Promise<void> {
  configureClient();
  usePreferences.setState({ language: asked.get('lang') === 'en' ? 'en' : 'zh' });
  session.setState({
    user: { id: 1, name: 'tester', nickName: 'Tester', type: 1, bigscreenTitle: '' },
    permissions: asked.get('may') === 'no' ? [] : ['auth.User'],
  });
  await startTexts(() => Promise.resolve({}));
  const Page = PAGES[window.location.hash as keyof typeof PAGES] ?? Gallery;
  const root = document.getElementById('root');
  if (root === null) throw new Error('index.html has no #root');
  createRoot(root).render(
    <Themed>
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-center" limit={3} />
        <FakeTab>
          <main>
            <Page />
          </main>
        </FakeTab>
      </QueryClientProvider>
    </Themed>,
  );
}

void start();
