/** Names and folder that the commands below the file use. */
export const FILE_NAME = 'gateway.toml';
const DATA_FOLDER = '/var/lib/edge-agent';

/** A basic string of TOML: that of JSON, without the one character that TOML wants escaped and JSON does not. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007f', '\\u007f');

/** What brings a new gateway on line: who it is and where the broker is. Ports, slaves and points are deployed. */
export function gatewayToml(
  gatewayId: string,
  title: string,
  url: string,
  words: Readonly<Record<'head' | 'secret' | 'ca', string>>,
): string {
  const ca = url.startsWith('mqtts://') ? [`# ca_file = "/etc/edge-agent/ca.pem"   # ${words.ca}`] : [];
  return [
    `# ${words.head}`,
    `# ${words.secret}`,
    '[gateway]',
    `id = ${quoted(gatewayId)}`,
    `title = ${quoted(title)}`,
    '',
    '[cloud]',
    `url = ${quoted(url)}`,
    ...ca,
    '',
  ].join('\n');
}

/** In the folder of the file, one after the other; the second asks for the secret. */
export const COMMANDS: readonly string[] = [
  `edge-agent check --config ${FILE_NAME}`,
  `edge-agent secret --set --data ${DATA_FOLDER}`,
  `edge-agent run --config ${FILE_NAME} --data ${DATA_FOLDER}`,
];
