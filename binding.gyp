{ "includes": ["native/addon.gypi"] }
