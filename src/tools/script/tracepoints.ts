import { FEATURE } from '../../formats/perf-data/features.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { TracepointFormats } from '../../kernel/tracepoint/tracepoint-formats.ts';
import type { FrameNamer } from '../../read/frame-namer.ts';

/** Any process: the kernel's addresses mean the same in all of them. */
const SWAPPER = 0;

/** The formats of the recording's tracepoints; null where it has none. */
export function readTracepointFormats(data: PerfData, namer: FrameNamer): TracepointFormats | null {
  const section = data.sections.bytes(FEATURE.TRACING_DATA);
  if (section === null) return null;
  return TracepointFormats.parse(section, {
    diagnostics: data.diagnostics,
    symbolOf: (address) => {
      const { symbol, offset } = namer.frame(SWAPPER, address);
      return symbol === null ? null : { name: symbol, offset: offset ?? 0 };
    },
  });
}
