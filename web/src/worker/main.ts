import { type Scope, serve } from './serve.ts';

serve(globalThis as unknown as Scope);
