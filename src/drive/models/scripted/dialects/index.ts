import { chat } from './chat.ts';
import { converse } from './converse.ts';
import type { Dialect } from './dialect.ts';
import { embeddings } from './embeddings.ts';
import { gemini } from './gemini.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';

/** Every dialect; of two that know a path, the first answers. */
export const dialects: readonly Dialect[] = [messages, chat, responses, gemini, embeddings, converse];
