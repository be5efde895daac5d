#!/usr/bin/env node
import { createJiti } from 'jiti';

const { serve } = await createJiti(import.meta.url).import('../server.ts');
await serve();
