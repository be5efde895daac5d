export { type ScriptedModel, type ScriptSource, startScriptedModel } from '../models/scripted/index.ts';
export { finishedTrial, runHeader } from './samples.ts';
export { describeStoreContract } from './store-contract.ts';
