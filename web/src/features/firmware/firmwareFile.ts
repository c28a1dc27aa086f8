/** What a file of firmware says of itself (broker-config/contract/edge_contract/firmware.py), before it is sent. */

const MAGIC = 'EDGEFW1\n';
const PREFIX_BYTES = MAGIC.length + 4;
const SIGNATURE_BYTES = 64;
const MAX_MANIFEST_BYTES = 16 * 1024;
/** As the API takes it. */
// oxlint-disable-next-line no-control-regex
const NAME = /^[^\u0000-\u001f\u007f/\\]{1,190}\.bin$/i;

export interface Manifest {
  name: string;
  models: readonly string[];
  version: number;
  version_text: string;
  security_version: number;
  upgrade_type: number;
  size: number;
  min_agent: string;
  key_id: string;
}

/** By the reason that the cloud has for it; name: of the file. */
export type FileFault = 'name' | 'format' | 'size';

export type FileHead = { manifest: Manifest; fault: null } | { manifest: Manifest | null; fault: FileFault };

/** The manifest, or why the cloud would refuse the file. Signature and content are checked by the cloud alone. */
export async function readHead(file: File): Promise<FileHead> {
  if (!NAME.test(file.name)) return { manifest: null, fault: 'name' };
  const none: FileHead = { manifest: null, fault: 'format' };
  const start = new Uint8Array(await file.slice(0, PREFIX_BYTES + MAX_MANIFEST_BYTES).arrayBuffer());
  if (start.length < PREFIX_BYTES || [...MAGIC].some((sign, at) => start[at] !== sign.charCodeAt(0))) return none;
  const length = new DataView(start.buffer).getUint32(MAGIC.length);
  if (length < 1 || length > MAX_MANIFEST_BYTES || start.length < PREFIX_BYTES + length) return none;
  const manifest = manifestOf(new TextDecoder().decode(start.subarray(PREFIX_BYTES, PREFIX_BYTES + length)));
  if (manifest === null) return none;
  const isThatLong = file.size === PREFIX_BYTES + length + SIGNATURE_BYTES + manifest.size;
  return isThatLong ? { manifest, fault: null } : { manifest, fault: 'size' };
}

function manifestOf(text: string): Manifest | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { models, ...rest } = value as Record<string, unknown>;
  const texts = ['name', 'version_text', 'min_agent', 'key_id'].every((name) => typeof rest[name] === 'string');
  const numbers = ['version', 'security_version', 'upgrade_type', 'size'].every((name) => Number.isInteger(rest[name]));
  const isList = Array.isArray(models) && models.every((model) => typeof model === 'string');
  return texts && numbers && isList ? (value as Manifest) : null;
}
