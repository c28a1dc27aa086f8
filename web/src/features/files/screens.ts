import type { Screen } from '@/lib/screens';

export const screens: readonly Screen[] = [
  {
    path: '/dataCenter/fileDownload',
    titleKey: 'files:title',
    icon: 'file-download',
    layout: 'admin',
    section: 'dataCenter',
    permission: 'FileDownload',
    aliases: ['/fileDownload'],
    load: () => import('./screens/FileList'),
  },
];
