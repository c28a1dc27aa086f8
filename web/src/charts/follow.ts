/** What of a live chart is seen: the newest window, or a part that the user looks at. */
export interface View {
  windowMs: number;
  /** Null: following. Else the part in view. */
  fixed: { min: number; max: number } | null;
  /** Parts that were in view before; the last is the newest. */
  steps: readonly ({ min: number; max: number } | null)[];
}

export type ViewAction =
  | { type: 'zoom'; min: number; max: number }
  | { type: 'back' }
  | { type: 'resume' }
  | { type: 'pause'; now: number }
  | { type: 'window'; windowMs: number };

const MAX_STEPS = 50;
const NARROWEST_MS = 1000;

export function following(windowMs: number): View {
  return { windowMs, fixed: null, steps: [] };
}

export function changeView(view: View, action: ViewAction): View {
  switch (action.type) {
    case 'zoom':
      if (action.max - action.min < NARROWEST_MS) return view;
      return {
        ...view,
        fixed: { min: action.min, max: action.max },
        steps: [...view.steps, view.fixed].slice(-MAX_STEPS),
      };
    case 'pause':
      return view.fixed === null ? { ...view, fixed: { min: action.now - view.windowMs, max: action.now } } : view;
    case 'back':
      return { ...view, fixed: view.steps.at(-1) ?? null, steps: view.steps.slice(0, -1) };
    case 'resume':
      return { ...view, fixed: null, steps: [] };
    case 'window':
      return following(action.windowMs);
  }
}

export function rangeOf(view: View, now: number): { min: number; max: number } {
  return view.fixed ?? { min: now - view.windowMs, max: now };
}
