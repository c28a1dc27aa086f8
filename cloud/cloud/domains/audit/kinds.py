"""Which kind of thing each operation is about, for the filter. A test compares it with the API. Pure."""

from __future__ import annotations

from typing import Literal, get_args

Kind = Literal["device", "point", "command", "deployment", "project", "template", "user", "event", "platform"]

KINDS: tuple[Kind, ...] = get_args(Kind)

OPERATIONS: dict[Kind, tuple[str, ...]] = {
    "device": (
        "createDevice", "changeDevice", "changeDevices", "deleteDevice", "renewSecret", "bindDevice",
        "getBindCode", "resetDeviceStatus", "putPosition", "changeOwner", "putShare", "deleteShare",
        "putAccessPassword", "openVirtualPort", "closeVirtualPort", "gatewayPage", "uploadImport",
        "startTrace", "renewTrace", "stopTrace",
        "previewImport", "applyImport", "deleteImport", "beginDeviceExport", "deleteJob",
        "leaveDevice", "createSimCard", "addSimCardRange", "changeSimCard", "bindSimCard", "deleteSimCard",
        "importSimCards", "previewSimCardRange", "previewSimCardImport",
    ),
    "point": (
        "addPort", "changePort", "deletePort", "addSlave", "changeSlave", "deleteSlave", "saveSlaves",
        "savePoints", "readPoints", "putPointRetention", "exportHistory", "addScript", "changeScript",
        "deleteScript", "saveForwarder", "deleteForwarder", "putInternalSlave", "putLoopWrites",
    ),
    "command": (
        "sendCommand", "addPreset", "changePreset", "deletePreset", "refreshDevice", "forwardDevice",
        "reloadDevice", "rebootDevice", "reallocateDevice", "getSignalStrength", "upgradeDevice",
        "rebootProject", "exchangeWrite", "triggerWrite", "createExchangeRule", "changeExchangeRule",
        "deleteExchangeRule", "tryScript", "taskWrite", "createTask", "changeTask", "enableTask",
        "deleteTask", "runTask", "createHolidayCalendar", "changeHolidayCalendar", "deleteHolidayCalendar",
    ),
    "deployment": (
        "saveDraft", "discardDraft", "checkConfiguration", "deploy", "deployDraft", "deployProject",
        "revertDeployment", "cancelDeployment", "saveParameters", "createParameterPlan",
        "changeParameterPlan", "deleteParameterPlan", "runParameterPlan",
        "addFirmwareKey", "deleteFirmwareKey", "uploadFirmware", "deleteFirmware", "createFirmwarePlan",
        "changeFirmwarePlan", "deleteFirmwarePlan", "approveFirmwarePlan", "startFirmwarePlan",
        "pauseFirmwarePlan", "resumeFirmwarePlan", "retryFirmwarePlan", "rollBackFirmwarePlan",
        "cancelFirmwarePlan",
    ),
    "project": (
        "addProject", "changeProject", "moveProject", "deleteProject", "assignDevices", "addProduct",
        "changeProduct", "rotateProductKey", "deleteProduct",
    ),
    "template": (
        "createTemplate", "importTemplate", "changeTemplate", "deleteTemplate", "moveTemplate",
        "copyTemplate", "saveTemplateVersion", "previewTemplate", "previewTemplateRows",
        "compareTemplateSheets", "attachTemplate", "applyTemplate", "instantiateTemplate",
        "putPointTemplate", "detachTemplate",
    ),
    "user": (
        "createUser", "changeUser", "deleteUser", "resetPassword", "setUserStatus", "changeProfile",
        "changeOwnPassword", "createGroup", "changeGroup", "deleteGroup", "changeRule",
    ),
    "event": (
        "deleteOnOfflineEntry", "handleAlarm", "noteAlarm", "deleteAlarm", "readEvents", "createTrigger",
        "changeTrigger", "enableTrigger", "deleteTrigger", "tryTrigger", "acknowledgeAlarms",
        "suppressAlarms", "suppressRule", "beginMaintenance", "endSuppression", "createContact",
        "changeContact", "deleteContact", "createContactGroup", "changeContactGroup", "deleteContactGroup",
        "testContact", "testContactGroup",
    ),
    "platform": (
        "putOption", "putDictionary", "putUserOption", "uploadFile", "putCustomize", "deleteCustomize",
        "putRetention",
    ),
}  # fmt: skip
