export { describeStoreContract } from './store-contract.ts';
