export type { Conversation } from './conversation.ts';
export type { LoggedRequest } from './request-log.ts';
export { type Script, type ScriptSource, scriptSchema } from './script.ts';
export { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './start-scripted-model.ts';
