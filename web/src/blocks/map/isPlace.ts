export function isPlace(longitude: number, latitude: number): boolean {
  return (
    Number.isFinite(longitude) && Number.isFinite(latitude) && Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90
  );
}
