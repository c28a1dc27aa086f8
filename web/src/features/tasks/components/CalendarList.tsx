import { lazy, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import page from '@/components/page.module.css';
import { CALENDARS, changeCalendar, createCalendar, deleteCalendar, loadCalendars } from '../api';
import type { CalendarRow } from '../api';
import { calendarBody, calendarDraft, NO_CALENDAR } from '../draft';
import type { CalendarDraft } from '../draft';

const CalendarFields = lazy(() => import('./CalendarFields'));
const calendarFields = (form: ApiForm<CalendarDraft>): ReactElement => <CalendarFields form={form} />;

/** Holiday calendars: days without runs, and days with runs instead. */
export function CalendarList(): ReactElement {
  return <ResourcePage resource={useCalendars()} />;
}

function useCalendars(): Resource<CalendarRow, CalendarDraft> {
  const { t } = useTranslation();
  const filters = useMemo<readonly Filter[]>(
    () => [{ kind: 'search', name: 'search', label: t('tasks:searchCalendar') }],
    [t],
  );
  return useMemo<Resource<CalendarRow, CalendarDraft>>(
    () => ({
      name: 'task-calendars',
      title: t('tasks:tab.calendars'),
      queryKey: CALENDARS,
      load: loadCalendars,
      rowId: (row) => row.id,
      columns: [
        {
          id: 'title',
          title: t('tasks:field.title'),
          fixed: true,
          card: 'title',
          cell: (row) => <span className={page.title}>{row.title}</span>,
          text: (row) => row.title,
        },
        ...(['off', 'on'] as const).map((name) => ({
          id: name,
          title: t(`tasks:calendar.${name}`),
          card: 'fact' as const,
          cell: (row: CalendarRow) => t('tasks:calendar.days', { count: row[name]?.length ?? 0 }),
          text: (row: CalendarRow) => (row[name] ?? []).join(', '),
        })),
        {
          id: 'tasks',
          title: t('tasks:calendar.tasks'),
          card: 'fact',
          cell: (row) => <span className="number">{row.tasks}</span>,
          text: (row) => String(row.tasks),
        },
        { id: 'user', title: t('tasks:calendar.user'), cell: (row) => row.user_name, text: (row) => row.user_name },
      ],
      filters,
      form: {
        empty: NO_CALENDAR,
        of: calendarDraft,
        words: { create: t('tasks:addCalendar'), edit: t('tasks:editCalendar') },
        fields: calendarFields,
        validate: { title: (title) => (title.trim() === '' ? t('tasks:needed') : null) },
        create: (draft) => createCalendar(calendarBody(draft)),
        update: (row, draft) => changeCalendar(row.id, calendarBody(draft)),
      },
      remove: {
        what: (row) => row.title,
        call: (row) => deleteCalendar(row.id),
        whyNot: (row) => (row.tasks === 0 ? '' : t('tasks:calendar.used')),
        undo: (row) => createCalendar(calendarBody(calendarDraft(row))),
      },
      empty: { title: t('tasks:noCalendars'), text: t('tasks:noCalendarsText') },
    }),
    [t, filters],
  );
}
