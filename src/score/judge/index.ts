import type { JudgeMode } from './judge.ts';
import { criteria } from './modes/criteria.ts';
import { groundedness } from './modes/groundedness.ts';
import { protocol } from './modes/protocol.ts';
import { rubric } from './modes/rubric.ts';
import { score } from './modes/score.ts';

/** Every way to prompt a model for a verdict. */
export const judgeModes: readonly JudgeMode[] = [criteria, rubric, score, protocol, groundedness];
