/** All that the contract tests of plugins use of the program; bundled once, with the program (rolldown.config.mjs). */

export { toJSONSchema } from 'zod';
export { onlyPart } from '../compose/plugins/read-export.ts';
export { errorTable } from '../domain/errors.ts';
export { messageSchema } from '../domain/message.ts';
export { startScriptedModel } from '../drive/models/scripted/index.ts';
export { Threads } from '../drive/targets/call/threads.ts';
