// A module that is not there.
import './parts/absent.mjs';
