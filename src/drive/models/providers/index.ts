import type { Provider } from '../provider.ts';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { bedrock } from './bedrock.ts';
import { google } from './google.ts';
import { openai, openaiResponses } from './openai.ts';
import { vertex } from './vertex.ts';

/** Every provider that needs no entry in the config. */
export const providers: readonly Provider[] = [openai, openaiResponses, anthropic, google, azure, bedrock, vertex];
