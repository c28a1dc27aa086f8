export interface Titled {
  device_title: string;
  /** Rows that only refer to a device have it in their title already. */
  binder_devtitle?: string;
  gateway_id?: string;
}

/** 'Pump (Cooler)': the bound title is in brackets after the title; without any title it is the serial number. */
export function deviceTitle({ device_title, binder_devtitle = '', gateway_id = '' }: Titled): string {
  if (device_title === '') return binder_devtitle || gateway_id;
  return binder_devtitle === '' || binder_devtitle === device_title
    ? device_title
    : `${device_title} (${binder_devtitle})`;
}
