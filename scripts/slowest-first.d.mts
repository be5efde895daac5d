import { BaseSequencer } from 'vitest/node';

export declare class SlowestFirst extends BaseSequencer {}
