/** Headings of the groups in which help shows options that several commands have. */
export const OPTION_GROUP = {
  SAMPLES: 'Samples:',
  NAMES: 'Names:',
  FRAMES: 'Frames:',
  INPUT: 'Recording file:',
  OUTPUT: 'Output:',
  GENERAL: 'General:',
} as const;
