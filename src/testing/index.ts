export { finishedTrial, runHeader } from './samples.ts';
export { describeStoreContract } from './store-contract.ts';
