const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/MicroMessenger\/(\d+)/, 'WeChat'],
  [/Edg\w*\/(\d+)/, 'Edge'],
  [/OPR\/(\d+)/, 'Opera'],
  [/Firefox\/(\d+)/, 'Firefox'],
  [/Chrome\/(\d+)/, 'Chrome'],
  [/Version\/(\d+).*Safari/, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** 'Chrome 140 · Windows' of a User-Agent; the beginning of one that is no browser's, and '' for none. */
export function agentOf(agent: string): string {
  const browser = BROWSERS.map(([pattern, name]) => [pattern.exec(agent)?.[1], name] as const).find(
    ([version]) => version !== undefined,
  );
  if (browser === undefined) return agent.split(/[\s(]/)[0] ?? '';
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1];
  return [`${browser[1]} ${browser[0]}`, system].filter(Boolean).join(' · ');
}
