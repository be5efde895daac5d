export type { ScriptedModel, ScriptSource } from '../drive/models/scripted/index.ts';
export { describeConnectorContract } from './connector-contract.ts';
export { describeEvaluatorContract, type EvaluatorSample } from './evaluator-contract.ts';
export { startScriptedModel } from './program.ts';
export { finishedTrial, runHeader } from './samples.ts';
export { describeStoreContract } from './store-contract/store-contract.ts';
