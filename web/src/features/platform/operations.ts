/** Every operation of the API that changes something and so stands in the log; all have words, by a test. */
export const OPERATIONS = [
  'createUser',
  'changeUser',
  'deleteUser',
  'resetPassword',
  'setUserStatus',
  'changeProfile',
  'changeOwnPassword',
  'createGroup',
  'changeGroup',
  'deleteGroup',
  'changeRule',
  'createDevice',
  'changeDevice',
  'changeDevices',
  'deleteDevice',
  'renewSecret',
  'bindDevice',
  'getBindCode',
  'resetDeviceStatus',
  'putPosition',
  'changeOwner',
  'putShare',
  'deleteShare',
  'leaveDevice',
  'deleteOnOfflineEntry',
  'handleAlarm',
  'noteAlarm',
  'deleteAlarm',
  'readEvents',
  'sendCommand',
  'addPreset',
  'changePreset',
  'deletePreset',
  'putAccessPassword',
  'saveDraft',
  'discardDraft',
  'checkConfiguration',
  'deploy',
  'deployDraft',
  'deployProject',
  'revertDeployment',
  'cancelDeployment',
  'saveParameters',
  'createParameterPlan',
  'changeParameterPlan',
  'deleteParameterPlan',
  'runParameterPlan',
  'refreshDevice',
  'forwardDevice',
  'reloadDevice',
  'rebootDevice',
  'reallocateDevice',
  'getSignalStrength',
  'upgradeDevice',
  'addFirmwareKey',
  'deleteFirmwareKey',
  'uploadFirmware',
  'deleteFirmware',
  'createFirmwarePlan',
  'changeFirmwarePlan',
  'deleteFirmwarePlan',
  'approveFirmwarePlan',
  'startFirmwarePlan',
  'pauseFirmwarePlan',
  'resumeFirmwarePlan',
  'retryFirmwarePlan',
  'rollBackFirmwarePlan',
  'cancelFirmwarePlan',
  'rebootProject',
  'openVirtualPort',
  'startTrace',
  'renewTrace',
  'stopTrace',
  'closeVirtualPort',
  'gatewayPage',
  'createExchangeRule',
  'changeExchangeRule',
  'deleteExchangeRule',
  'createTask',
  'changeTask',
  'enableTask',
  'deleteTask',
  'runTask',
  'createHolidayCalendar',
  'changeHolidayCalendar',
  'deleteHolidayCalendar',
  'createTrigger',
  'changeTrigger',
  'enableTrigger',
  'deleteTrigger',
  'tryTrigger',
  'suppressRule',
  'acknowledgeAlarms',
  'suppressAlarms',
  'beginMaintenance',
  'endSuppression',
  'createSimCard',
  'previewSimCardRange',
  'addSimCardRange',
  'changeSimCard',
  'bindSimCard',
  'deleteSimCard',
  'previewSimCardImport',
  'importSimCards',
  'createContact',
  'changeContact',
  'deleteContact',
  'testContact',
  'createContactGroup',
  'changeContactGroup',
  'deleteContactGroup',
  'testContactGroup',
  'addPort',
  'changePort',
  'deletePort',
  'addSlave',
  'changeSlave',
  'deleteSlave',
  'saveSlaves',
  'savePoints',
  'readPoints',
  'addScript',
  'changeScript',
  'deleteScript',
  'saveForwarder',
  'deleteForwarder',
  'putInternalSlave',
  'putLoopWrites',
  'tryScript',
  'exportHistory',
  'putRetention',
  'putPointRetention',
  'addProject',
  'changeProject',
  'moveProject',
  'deleteProject',
  'assignDevices',
  'addProduct',
  'changeProduct',
  'rotateProductKey',
  'deleteProduct',
  'deleteJob',
  'uploadImport',
  'previewImport',
  'applyImport',
  'deleteImport',
  'beginDeviceExport',
  'createTemplate',
  'importTemplate',
  'changeTemplate',
  'deleteTemplate',
  'moveTemplate',
  'copyTemplate',
  'saveTemplateVersion',
  'previewTemplate',
  'previewTemplateRows',
  'compareTemplateSheets',
  'attachTemplate',
  'applyTemplate',
  'instantiateTemplate',
  'putPointTemplate',
  'detachTemplate',
  'putOption',
  'putDictionary',
  'putUserOption',
  'uploadFile',
  'putCustomize',
  'deleteCustomize',
] as const;

/** What stands in the log without a call of the API. */
export const UNATTENDED = ['exchangeWrite', 'triggerWrite', 'taskWrite'] as const;

export type Operation = (typeof OPERATIONS)[number] | (typeof UNATTENDED)[number];

export function isKnown(operation: string): operation is Operation {
  return ([...OPERATIONS, ...UNATTENDED] as readonly string[]).includes(operation);
}

/** Ids of a path that have a name in the portal's words. */
export const ID_NAMES = [
  'user_id',
  'group_id',
  'device_id',
  'gateway_id',
  'entry_id',
  'event_id',
  'preset_id',
  'rule_id',
  'trigger_id',
  'alarm_rule_id',
  'suppression_id',
  'contact_id',
  'contact_group_id',
  'task_id',
  'calendar_id',
  'parameter_plan_id',
  'plan_id',
  'firmware_id',
  'firmware_key',
  'sim_card_id',
  'trace_id',
  'port_name',
  'slave_name',
  'script_name',
  'forwarder_name',
  'project_id',
  'product_id',
  'job_id',
  'import_id',
  'template_id',
  'deployment_id',
  'code',
  'domain',
  'lease',
] as const;

/** Parts of what was sent by which people know the thing, the first that is there. */
const NAMING = ['user_name', 'title', 'name', 'key', 'kind'] as const;

/** What a command was for and came to, as the cloud stored it. */
export interface CommandFacts {
  target: string;
  wanted: string;
  readBack: string;
  outcome: string;
  seenMs: number | null;
}

/** Facts of a row that is a command, or several; null for any other. */
export function commandOf({ changes }: Record<'changes', Readonly<Record<string, unknown>>>): CommandFacts | null {
  const after = (changes.after ?? {}) as Record<string, unknown>;
  const text = (name: string): string => (after[name] === undefined || after[name] === null ? '' : String(after[name]));
  const measured = (name: string): string => (text(name) === '' ? '' : `${text(name)} ${text('unit')}`.trim());
  if (after.write_1 !== undefined) {
    const more = Number(after.total) > 1 ? ` +${Number(after.total) - 1}` : '';
    return { target: `${text('write_1').split(' = ')[0]}${more}`, wanted: '', readBack: '', outcome: '', seenMs: null };
  }
  if (after.gateway_id === undefined || after.action === undefined) return null;
  const target = [
    text('device_title') || text('gateway_id'),
    text('slave_title') || text('slave'),
    text('ds_title') || text('point'),
  ];
  return {
    target: target.filter((part) => part !== '').join(' / '),
    wanted: measured('value'),
    readBack: measured('read_back'),
    outcome: text('outcome'),
    seenMs: typeof after.seen_ms === 'number' ? after.seen_ms : null,
  };
}

/** What a request was about: the target of a command, the ids of its path in words, else what was sent as the name. */
export function objectOf(
  row: Record<'ids' | 'changes' | 'query', Readonly<Record<string, unknown>>>,
  wordOf: (name: string) => string,
): string {
  const command = commandOf(row);
  if (command !== null) return command.target;
  const ids = Object.entries(row.ids).map(([name, value]) => `${wordOf(name)} ${String(value)}`);
  if (ids.length > 0) return ids.join(', ');
  const sent = { ...row.query, ...row.changes };
  const naming = NAMING.find((name) => typeof sent[name] === 'string');
  return naming === undefined ? '' : String(sent[naming]);
}

const OUTCOMES = ['done', 'failed', 'unknown', 'settled_written', 'settled_other'] as const;

export function isOutcome(outcome: string): outcome is (typeof OUTCOMES)[number] {
  return (OUTCOMES as readonly string[]).includes(outcome);
}

/** Kinds of things that the cloud filters by. */
export const AUDIT_KINDS = [
  'device',
  'point',
  'command',
  'deployment',
  'project',
  'template',
  'user',
  'event',
  'platform',
] as const;
