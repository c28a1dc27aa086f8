/** Narrower than this the menu is a rail of icons; the scroll bar counts as window. px */
export const RAIL_BELOW_PX = 1024;
export const SCROLL_BAR_PX = 3;
export const PHONE_BELOW_PX = 768;

export const RAIL = `(width < ${RAIL_BELOW_PX - SCROLL_BAR_PX}px)`;
/** On phones it is a drawer. */
export const PHONE = `(width < ${PHONE_BELOW_PX}px)`;
