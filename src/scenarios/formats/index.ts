import type { ScenarioFormat } from '../scenario-format.ts';
import { nativeFormat } from './native.ts';

/** Every known file format; the first that recognises a file reads it. */
export const scenarioFormats: readonly ScenarioFormat[] = [nativeFormat];
