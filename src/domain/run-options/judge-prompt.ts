/** Which rules a judge is given: the lean ones, or the long ones, which also spell out what is verified after the reply. */
export const judgePrompts = ['lean', 'long'] as const;
export type JudgePrompt = (typeof judgePrompts)[number];
