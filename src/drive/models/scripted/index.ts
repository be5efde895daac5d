export type { LoggedRequest } from './request-log.ts';
export type { Script, ScriptSource } from './script.ts';
export { type ScriptedModel, startScriptedModel } from './start-scripted-model.ts';
