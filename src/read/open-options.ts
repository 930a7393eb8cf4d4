import type { FrameLevel } from '../profile/frame-level.ts';
import type { SymbolSources } from './files/symbol-files.ts';
import type { JavaScriptOptions } from './jit/javascript.ts';

/**
 * A stage of reading a recording, in their order: its records, files from debuginfod servers, names of
 * functions, source lines with inlined calls, and the tables of the profile.
 */
export type ReadingStage = 'records' | 'downloads' | 'names' | 'lines' | 'tables';

/** Hears of a stage as it begins, and of the share of it that is done, 0 … 1; null: that is not known. */
export type OnReadingProgress = (stage: ReadingStage, share: number | null) => void;

/** How a recording is read: the sources of names, and what is joined or left out. */
export type OpenProfileOptions = SymbolSources &
  JavaScriptOptions & {
    /** Name the frames. Default true; without, every function is `[unknown]`. */
    readonly symbols?: boolean;
    /** Events that count nanoseconds as one: what threads ran and what they waited for. */
    readonly join?: boolean;
    /**
     * The event that will be asked for, by name. An event that was opened on each kind of core is one,
     * `cycles`, unless this is the name of its part on one of them, `cpu_atom/cycles/`.
     */
    readonly event?: string;
    /** debuginfod servers that are asked for what is not on this machine. Default: none is. */
    readonly debuginfod?: readonly string[];
    /** Unwind copied user stacks. Default true; without, samples have what the kernel walked itself. */
    readonly unwind?: boolean;
    /**
     * Which frames of programs of JavaScript are shown. Default `auto`: `javascript` where the recording has
     * functions of JavaScript with names, else `all`. `opened.profileAt` has the other levels.
     */
    readonly frames?: FrameLevel | 'auto';
    /**
     * Remember between runs what was found in symbol tables and debug information, below
     * `$XDG_CACHE_HOME/perf-ts`. Default false; the command does, unless PERF_TS_NO_CACHE is set.
     */
    readonly cache?: boolean;
    /** Source lines of frames. Default: where inlined calls are looked for. */
    readonly lines?: boolean;
    /**
     * Called many times a second while the recording is read, in the middle of that work: what it does
     * has to be short. Nothing else of the program runs meanwhile, save during downloads.
     */
    readonly onProgress?: OnReadingProgress;
  };
