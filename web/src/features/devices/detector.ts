interface Barcode {
  rawValue: string;
}

interface Detector {
  detect: (source: ImageBitmapSource) => Promise<readonly Barcode[]>;
}

type DetectorClass = new (options: { formats: readonly string[] }) => Detector;

const FORMATS = ['qr_code', 'code_128', 'code_39', 'data_matrix'] as const;
let made: Detector | null = null;

/** The browser's own reader of codes; null where there is none. */
export function detector(): Detector | null {
  const known = (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector;
  if (known === undefined || globalThis.navigator?.mediaDevices === undefined) return null;
  made ??= new known({ formats: FORMATS });
  return made;
}
