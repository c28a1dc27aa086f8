import type { DeviceDetail } from './api';

type Address = Pick<
  DeviceDetail,
  'device_province' | 'device_city' | 'device_district' | 'device_address' | 'device_floorroom'
>;

/** From the province down to the room; parts that are not known are left out. */
export function addressOf(device: Address): string {
  const { device_province, device_city, device_district, device_address, device_floorroom } = device;
  return [device_province, device_city, device_district, device_address, device_floorroom]
    .filter((part) => part !== '')
    .join(' ');
}

/** Longitude and latitude in degrees of WGS-84, to about a decimetre; '' without a place. */
export function coordinatesOf({ longitude, latitude }: Pick<DeviceDetail, 'longitude' | 'latitude'>): string {
  if (longitude === null || latitude === null || longitude === undefined || latitude === undefined) return '';
  return `${longitude.toFixed(6)}, ${latitude.toFixed(6)}`;
}
